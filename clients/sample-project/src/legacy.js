// Kept for the old till.
function restock(name, count) {
  shelf[name] += count;
}
