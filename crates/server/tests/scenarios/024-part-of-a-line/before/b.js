// build things with care
