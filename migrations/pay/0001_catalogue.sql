-- Offers and their prices by region. Amounts are in the minor units of ISO 4217.
CREATE TABLE regions (
  region TEXT PRIMARY KEY,
  currency TEXT NOT NULL,
  locale TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- A country without a row is in the region `world`.
CREATE TABLE region_countries (
  country TEXT PRIMARY KEY,
  region TEXT NOT NULL REFERENCES regions (region)
) STRICT, WITHOUT ROWID;

CREATE TABLE skus (
  sku TEXT PRIMARY KEY,
  display TEXT NOT NULL,
  kind TEXT NOT NULL,
  tier TEXT NOT NULL,
  interval TEXT,
  position INTEGER NOT NULL,
  is_recommended INTEGER NOT NULL DEFAULT 0,
  is_offered INTEGER NOT NULL DEFAULT 1
) STRICT, WITHOUT ROWID;

CREATE TABLE prices (
  sku TEXT NOT NULL REFERENCES skus (sku),
  region TEXT NOT NULL REFERENCES regions (region),
  amount_minor INTEGER NOT NULL,
  PRIMARY KEY (sku, region)
) STRICT, WITHOUT ROWID;

INSERT INTO regions (region, currency, locale) VALUES
  ('world', 'USD', 'en-US'), ('us', 'USD', 'en-US'), ('eu', 'EUR', 'en-IE'), ('gb', 'GBP', 'en-GB'),
  ('ch', 'CHF', 'de-CH'), ('jp', 'JPY', 'ja-JP'), ('in', 'INR', 'en-IN'), ('kw', 'KWD', 'en-GB');

INSERT INTO region_countries (country, region) VALUES
  ('US', 'us'), ('GB', 'gb'), ('CH', 'ch'), ('LI', 'ch'), ('JP', 'jp'), ('IN', 'in'), ('KW', 'kw'),
  ('AT', 'eu'), ('BE', 'eu'), ('BG', 'eu'), ('CY', 'eu'), ('CZ', 'eu'), ('DE', 'eu'), ('DK', 'eu'), ('EE', 'eu'),
  ('ES', 'eu'), ('FI', 'eu'), ('FR', 'eu'), ('GR', 'eu'), ('HR', 'eu'), ('HU', 'eu'), ('IE', 'eu'), ('IT', 'eu'),
  ('LT', 'eu'), ('LU', 'eu'), ('LV', 'eu'), ('MT', 'eu'), ('NL', 'eu'), ('PL', 'eu'), ('PT', 'eu'), ('RO', 'eu'),
  ('SE', 'eu'), ('SI', 'eu'), ('SK', 'eu'), ('IS', 'eu'), ('NO', 'eu'), ('AD', 'eu'), ('MC', 'eu'), ('SM', 'eu'),
  ('VA', 'eu');

INSERT INTO skus (sku, display, kind, tier, interval, position, is_recommended) VALUES
  ('notes-free', 'Notes', 'free', 'notes', NULL, 10, 0),
  ('provenance-month', 'Provenance, monthly', 'subscription', 'provenance', 'month', 20, 1),
  ('provenance-year', 'Provenance, yearly', 'subscription', 'provenance', 'year', 30, 0),
  ('provenance-pass-month', 'Provenance for one month', 'pass', 'provenance', 'month', 40, 0),
  ('atelier-month', 'Atelier, monthly', 'subscription', 'atelier', 'month', 50, 0),
  ('atelier-year', 'Atelier, yearly', 'subscription', 'atelier', 'year', 60, 0);

-- A free offer costs nothing in every currency.
INSERT INTO prices (sku, region, amount_minor) SELECT 'notes-free', region, 0 FROM regions;

INSERT INTO prices (sku, region, amount_minor) VALUES
  ('provenance-month', 'world', 900), ('provenance-year', 'world', 9000), ('provenance-pass-month', 'world', 1200),
  ('atelier-month', 'world', 2900), ('atelier-year', 'world', 29000),
  ('provenance-month', 'us', 900), ('provenance-year', 'us', 9000), ('provenance-pass-month', 'us', 1200),
  ('atelier-month', 'us', 2900), ('atelier-year', 'us', 29000),
  ('provenance-month', 'eu', 900), ('provenance-year', 'eu', 9000), ('provenance-pass-month', 'eu', 1200),
  ('atelier-month', 'eu', 2900), ('atelier-year', 'eu', 29000),
  ('provenance-month', 'gb', 800), ('provenance-year', 'gb', 8000), ('provenance-pass-month', 'gb', 1000),
  ('atelier-month', 'gb', 2500), ('atelier-year', 'gb', 25000),
  ('provenance-month', 'ch', 900), ('provenance-year', 'ch', 9000), ('provenance-pass-month', 'ch', 1200),
  ('atelier-month', 'ch', 2900), ('atelier-year', 'ch', 29000),
  ('provenance-month', 'jp', 1400), ('provenance-year', 'jp', 14000), ('provenance-pass-month', 'jp', 1800),
  ('atelier-month', 'jp', 4400), ('atelier-year', 'jp', 44000),
  ('provenance-month', 'in', 49900), ('provenance-year', 'in', 499000), ('provenance-pass-month', 'in', 64900),
  ('atelier-month', 'in', 149900), ('atelier-year', 'in', 1499000),
  ('provenance-month', 'kw', 2750), ('provenance-year', 'kw', 27500), ('provenance-pass-month', 'kw', 3750),
  ('atelier-month', 'kw', 8900), ('atelier-year', 'kw', 89000);
