-- A registration is kept with its identity, in core's object of it.
DROP TABLE registrations;
