// c
proc t
  ret
end
