import { DurableObject, WorkerEntrypoint } from 'cloudflare:workers'
import { mlDsa65 } from '@svc/pqc'

interface Bindings {
  readonly LIMIT: RateLimit
  readonly CORE: Service<Core>
  readonly IDENTITIES: DurableObjectNamespace<Identity>
  readonly METERS: DurableObjectNamespace<Meter>
}

/** The steps of one consumption without anything around them, each in the Worker where it must happen. */
const STEPS: Record<string, (env: Bindings, owner: string, key: string) => Promise<unknown>> = {
  limit: (env, owner) => env.LIMIT.limit({ key: owner }),
  verify: async () => mlDsa65.verify(publicKey, payload, await signature),
  spend: async (env, owner, key) => (await env.CORE.fetch(`https://core/${owner}?nonce=${key}`)).json(),
  count: (env, owner, key) => env.METERS.getByName(owner).count(key),
  sign: async () => (await signer)(receipt),
}

const seed = new Uint8Array(32)
/** The length of an assertion's payload, which has the key twice, and of a receipt's statement. */
const [payload, receipt] = [new Uint8Array(5_600), new Uint8Array(400)] as const
let publicKey: Uint8Array
let signature: Promise<Uint8Array>
let signer: Promise<(message: Uint8Array) => Promise<Uint8Array>>

export class Meter extends DurableObject {
  #used: number

  constructor(ctx: DurableObjectState, env: never) {
    super(ctx, env)
    const { sql } = ctx.storage
    sql.exec('CREATE TABLE IF NOT EXISTS uses (key TEXT PRIMARY KEY) WITHOUT ROWID')
    this.#used = sql.exec<{ n: number }>('SELECT count(*) AS n FROM uses').one().n
  }

  count(key: string): number {
    this.ctx.storage.sql.exec('INSERT INTO uses (key) VALUES (?)', key)
    this.#used += 1
    return this.#used
  }
}

export class Identity extends DurableObject {
  constructor(ctx: DurableObjectState, env: never) {
    super(ctx, env)
    ctx.storage.sql.exec('CREATE TABLE IF NOT EXISTS nonces (nonce TEXT PRIMARY KEY) WITHOUT ROWID')
  }

  spend(nonce: string): object {
    this.ctx.storage.sql.exec('INSERT INTO nonces (nonce) VALUES (?)', nonce)
    return { scope: this.ctx.id.toString(), epoch: 0 }
  }
}

export class Core extends WorkerEntrypoint<Bindings> {
  override async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    return Response.json(await this.env.IDENTITIES.getByName(pathname).spend(searchParams.get('nonce') ?? ''))
  }
}

/** Does the requested steps for one of a hundred owners, and returns as many bytes as a receipt. */
export default {
  async fetch(request: Request, env: Bindings): Promise<Response> {
    publicKey ??= await mlDsa65.publicKeyOf(seed)
    signature ??= mlDsa65.sign(seed, payload)
    signer ??= mlDsa65.signerOf(seed)
    const { searchParams } = new URL(request.url)
    await request.arrayBuffer()
    const owner = searchParams.get('owner') ?? ''
    for (const step of searchParams.getAll('step')) await STEPS[step]?.(env, owner, crypto.randomUUID())
    return new Response(new Uint8Array(4_800))
  },
}
