"""How the schema came to be: one file a revision, never changed once released."""
