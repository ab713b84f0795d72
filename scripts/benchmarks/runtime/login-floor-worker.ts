import { DurableObject } from 'cloudflare:workers'

interface Bindings {
  readonly SPENT: DurableObjectNamespace<Spent>
  readonly DB: D1Database
}

/** Remembers what was used, and nothing else. */
export class Spent extends DurableObject {
  #isReady = false

  spend(name: Uint8Array): boolean {
    const { sql } = this.ctx.storage
    if (!this.#isReady) sql.exec('CREATE TABLE IF NOT EXISTS spent (name BLOB PRIMARY KEY) WITHOUT ROWID')
    this.#isReady = true
    return sql.exec('INSERT INTO spent (name) VALUES (?) ON CONFLICT DO NOTHING RETURNING 1', name).toArray().length > 0
  }
}

const ES256 = { name: 'ECDSA', namedCurve: 'P-256' } as const
const message = new Uint8Array(69)
const pair = crypto.subtle.generateKey(ES256, true, ['sign', 'verify']) as Promise<CryptoKeyPair>
const raw = pair.then(async ({ publicKey }) => crypto.subtle.exportKey('raw', publicKey) as Promise<ArrayBuffer>)
const signature = pair.then(({ privateKey }) => crypto.subtle.sign({ ...ES256, hash: 'SHA-256' }, privateKey, message))

const TABLES = [
  'CREATE TABLE IF NOT EXISTS passkeys (id TEXT PRIMARY KEY, counter INTEGER, key BLOB)',
  'CREATE TABLE IF NOT EXISTS sessions (token TEXT PRIMARY KEY, account TEXT, ends INTEGER)',
]

/**
 * A login without anything around it: a challenge, and then one object that remembers it, a read of the key, a native
 * verification, and one batch that counts the use, stores the session and sweeps twice.
 */
export default {
  async fetch(request: Request, { SPENT, DB }: Bindings): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    const answer = new Response(new Uint8Array(Number(searchParams.get('bytes'))), {
      headers: { 'content-type': 'application/json' },
    })
    if (pathname === '/tables') {
      await DB.batch(TABLES.map((sql) => DB.prepare(sql)))
      return answer
    }
    await request.arrayBuffer()
    if (pathname === '/options') {
      crypto.getRandomValues(new Uint8Array(32))
      return answer
    }
    const name = crypto.getRandomValues(new Uint8Array(12))
    await SPENT.getByName(`spent-${(name[0] ?? 0) % 64}`).spend(name)
    const id = searchParams.get('id')
    await DB.prepare('SELECT key, counter FROM passkeys WHERE id = ?').bind(id).first()
    const key = await crypto.subtle.importKey('raw', await raw, ES256, false, ['verify'])
    if (!(await crypto.subtle.verify({ ...ES256, hash: 'SHA-256' }, key, await signature, message)))
      return new Response(null, { status: 500 })
    await DB.batch([
      DB.prepare(
        'INSERT INTO passkeys (id, counter) VALUES (?, 1) ON CONFLICT DO UPDATE SET counter = counter + 1',
      ).bind(id),
      DB.prepare('INSERT INTO sessions (token, account, ends) VALUES (?, ?, ?)').bind(
        crypto.randomUUID(),
        id,
        Date.now(),
      ),
      DB.prepare('DELETE FROM sessions WHERE token IN (SELECT token FROM sessions WHERE ends < 0 LIMIT 16)'),
      DB.prepare('DELETE FROM sessions WHERE account = ?1 AND ends < 0').bind(id),
    ])
    return answer
  },
}
