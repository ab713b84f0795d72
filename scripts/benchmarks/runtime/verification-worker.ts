import { nativeMlDsa65, nativeSupports } from '@svc/pqc/native'
import { nobleMlDsa65 } from '@svc/pqc/noble'
import { sha3_384, sha3_384Async } from '@svc/pqc/sha3'

const BACKENDS = { native: nativeMlDsa65, noble: nobleMlDsa65 }
/** As many as in a batch, each with its own key. */
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

async function verifications(backend: 'native' | 'noble', times: number): Promise<number> {
  signed ??= Promise.all(Array.from({ length: SIGNATURES }, (_, i) => signedBy(i)))
  const all = await signed
  let good = 0
  for (let i = 0; i < times; i++) {
    const { publicKey, message, signature } = all[i % SIGNATURES] as Signed
    if (await BACKENDS[backend].verify(publicKey, message, signature)) good++
  }
  return good
}

/** A signed block as it is hashed. */
const block = new Uint8Array(7_400).fill(1)
const DIGEST_BYTES = 48

async function digests(backend: 'native' | 'noble', times: number): Promise<number> {
  // Without a native digest `sha3_384Async` is JavaScript too: there is nothing to compare.
  if (!nativeSupports('SHA3-384')) return 0
  let whole = 0
  for (let i = 0; i < times; i++) {
    const digest = backend === 'native' ? await sha3_384Async(block) : sha3_384(block)
    if (digest.length === DIGEST_BYTES) whole++
  }
  return whole
}

/** Does as much work as requested and returns how much of it succeeded. Timed from outside. */
export default {
  async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    const backend = searchParams.get('backend') === 'native' ? 'native' : 'noble'
    const work = pathname === '/digests' ? digests : verifications
    return new Response(String(await work(backend, Number(searchParams.get('times')))))
  },
}
