import { nativeMlDsa65 } from '@svc/pqc/native'
import { nobleMlDsa65 } from '@svc/pqc/noble'

const BACKENDS = { native: nativeMlDsa65, noble: nobleMlDsa65 }
/** As many as a batch has, each by a key of its own. */
const SIGNATURES = 100

let signed: Promise<Signed[]> | undefined

interface Signed {
  readonly publicKey: Uint8Array
  readonly message: Uint8Array
  readonly signature: Uint8Array
}

async function signedBy(i: number): Promise<Signed> {
  const seed = new Uint8Array(32).fill(i)
  const message = new Uint8Array(64).fill(i)
  const [publicKey, signature] = await Promise.all([nativeMlDsa65.publicKeyOf(seed), nativeMlDsa65.sign(seed, message)])
  return { publicKey, message, signature }
}

/** Verifies as many signatures as it is told, and says how many of them were good. Timed from outside. */
export default {
  async fetch(request: Request): Promise<Response> {
    const { searchParams } = new URL(request.url)
    const backend = BACKENDS[searchParams.get('backend') === 'native' ? 'native' : 'noble']
    signed ??= Promise.all(Array.from({ length: SIGNATURES }, (_, i) => signedBy(i)))
    const all = await signed
    let good = 0
    for (let i = 0; i < Number(searchParams.get('times')); i++) {
      const { publicKey, message, signature } = all[i % SIGNATURES] as Signed
      if (await backend.verify(publicKey, message, signature)) good++
    }
    return new Response(String(good))
  },
}
