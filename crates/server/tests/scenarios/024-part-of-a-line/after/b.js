// make things with care
