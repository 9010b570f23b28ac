say("a\n")
