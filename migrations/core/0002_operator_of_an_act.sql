-- The key that signed an act: an operator key may be replaced, and the record says which one signed.
ALTER TABLE operator_acts ADD COLUMN operator TEXT;
