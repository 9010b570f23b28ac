def restock(): pass
