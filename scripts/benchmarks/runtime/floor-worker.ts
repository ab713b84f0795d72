import { DurableObject } from 'cloudflare:workers'
import { mlDsa65 } from '@svc/pqc'

interface Bindings {
  readonly OBJECTS: DurableObjectNamespace<Bare>
}

/** An object that stores bytes if it is told to, and knows nothing. */
export class Bare extends DurableObject {
  #isReady = false

  answer(bytes: number): number {
    if (bytes === 0) return 0
    const { sql } = this.ctx.storage
    if (!this.#isReady) sql.exec('CREATE TABLE IF NOT EXISTS kept (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL)')
    this.#isReady = true
    sql.exec('INSERT INTO kept (bytes) VALUES (?)', new Uint8Array(bytes))
    return bytes
  }
}

const seed = new Uint8Array(32)
/** The length of an assertion's payload, which has the key twice. */
const message = new Uint8Array(5_600)
let publicKey: Uint8Array | undefined
let signature: Promise<Uint8Array> | undefined

/** Reads the request, does the requested steps, and returns the requested number of bytes. */
export default {
  async fetch(request: Request, { OBJECTS }: Bindings): Promise<Response> {
    const { searchParams } = new URL(request.url)
    const number = (name: string) => Number(searchParams.get(name))
    request.headers.get('authorization')
    await request.arrayBuffer()
    for (let i = 0; i < number('verifications'); i++) {
      publicKey ??= await mlDsa65.publicKeyOf(seed)
      signature ??= mlDsa65.sign(seed, message)
      if (!(await mlDsa65.verify(publicKey, message, await signature))) return new Response(null, { status: 500 })
    }
    const object = OBJECTS.getByName(searchParams.get('object') ?? '')
    for (let i = 0; i < number('calls'); i++) await object.answer(number('stored'))
    return new Response(new Uint8Array(number('bytes')), {
      status: number('status'),
      headers: { 'content-type': 'application/json' },
    })
  },
}
