"""What is on the shelf."""

SHELF = {"größe": 3, "tea": 12}


def restock(name, count):
    SHELF[name] = SHELF.get(name, 0) + count
