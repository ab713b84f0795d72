import { nativeMlDsa65 } from '@svc/pqc/native'
import { nobleMlDsa65 } from '@svc/pqc/noble'

const BACKENDS = { native: nativeMlDsa65, noble: nobleMlDsa65 }
const message = new Uint8Array(64)
const seed = new Uint8Array(32).fill(1)

/** Verifies one signature as often as it is told, and says how many of them were good. Timed from outside. */
export default {
  async fetch(request: Request): Promise<Response> {
    const { searchParams } = new URL(request.url)
    const backend = BACKENDS[searchParams.get('backend') === 'native' ? 'native' : 'noble']
    const publicKey = await backend.publicKeyOf(seed)
    const signature = await backend.sign(seed, message)
    let good = 0
    for (let i = 0; i < Number(searchParams.get('times')); i++) {
      if (await backend.verify(publicKey, message, signature)) good++
    }
    return new Response(String(good))
  },
}
