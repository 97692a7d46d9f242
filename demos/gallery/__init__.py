"""Pictures for people: a page of short loops and a sheet, made from recorded drives."""
