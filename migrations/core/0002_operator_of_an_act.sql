-- Whose key signed an act: an operator key may be replaced, and the record says which one it was.
ALTER TABLE operator_acts ADD COLUMN operator TEXT;
