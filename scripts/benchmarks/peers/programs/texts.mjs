/** pg_trgm: texts under an index of trigrams, and which of them is most like another. */
import pg from 'pg'
import { answer } from './answer.mjs'

/** On two connections, as it takes a second for each. */
const CONNECTIONS = 2
let pool

answer({
  async start({ url, texts }) {
    pool = new pg.Pool({ connectionString: url, max: CONNECTIONS })
    await pool.query('CREATE EXTENSION IF NOT EXISTS pg_trgm')
    await pool.query('CREATE TABLE texts (id integer PRIMARY KEY, text text NOT NULL)')
    for (let i = 0; i < texts.length; i += 1_000) {
      const part = texts.slice(i, i + 1_000)
      await pool.query('INSERT INTO texts SELECT * FROM unnest($1::integer[], $2::text[])', [
        part.map((_, j) => i + j),
        part,
      ])
    }
    await pool.query('CREATE INDEX texts_trgm ON texts USING gin (text gin_trgm_ops)')
    await pool.query('ANALYZE texts')
  },
  /** Of each query: the id of the best text or null, and the milliseconds. The threshold is that of pg_trgm. */
  async search({ queries }) {
    const found = []
    let next = 0
    const caller = async () => {
      for (let mine = next++; mine < queries.length; mine = next++) {
        const startedAt = performance.now()
        const { rows } = await pool.query(
          'SELECT id FROM texts WHERE $1 <% text ORDER BY word_similarity($1, text) DESC, id LIMIT 1',
          [queries[mine]],
        )
        found[mine] = { id: rows[0]?.id ?? null, milliseconds: performance.now() - startedAt }
      }
    }
    await Promise.all(Array.from({ length: CONNECTIONS }, caller))
    return found
  },
})
