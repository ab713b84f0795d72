import type { D1Database } from '@cloudflare/workers-types'

interface Env {
  readonly DB: D1Database
}

const SEED = `WITH RECURSIVE n(i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
  INSERT INTO consent_records (content_hash, creator_did, preferences, status, version, created_at, updated_at, bucket)
  SELECT printf('sha3-384:%096d', i), 'did:svc:' || printf('%032d', i % 1000), '{"ai_training":"disallow","search":"allow"}',
    'published', 1, 1, 1, i % 1024 FROM n`
const QUERY = `SELECT content_hash, creator_did, preferences, version, updated_at FROM consent_records
  WHERE content_hash IN (SELECT value FROM json_each(?1)) AND status = 'published'`

/** Runs the bare query of a batch a number of times. Timed from outside. POST fills the table. */
export default {
  async fetch(request: Request, { DB }: Env): Promise<Response> {
    const { searchParams } = new URL(request.url)
    const number = (name: string) => Number(searchParams.get(name))
    if (request.method === 'POST') {
      // The statements inside of a trigger end in the middle of a paragraph.
      for (const sql of (await request.text()).split(/;\n(?=\n|CREATE |$)/))
        if (sql.trim() !== '') await DB.prepare(sql).run()
      for (let i = 0; i < number('records'); i += 20_000)
        await DB.prepare(SEED)
          .bind(i, i + 19_999)
          .run()
      return new Response('filled')
    }
    const wanted = JSON.stringify(
      Array.from({ length: number('size') }, (_, i) => `sha3-384:${String(i * number('step')).padStart(96, '0')}`),
    )
    let rows = 0
    for (let i = 0; i < number('times'); i++) rows += (await DB.prepare(QUERY).bind(wanted).all()).results.length
    return new Response(String(rows))
  },
}
