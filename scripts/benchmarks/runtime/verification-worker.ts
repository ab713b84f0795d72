import { nativeMlDsa65, nativeSupports } from '@svc/pqc/native'
import { nobleMlDsa65 } from '@svc/pqc/noble'
import { sha3_384, sha3_384Async } from '@svc/pqc/sha3'
import { verifyVrf, vrfProver } from '@svc/pqc/vrf'

const BACKENDS = { native: nativeMlDsa65, noble: nobleMlDsa65 }
type Backend = keyof typeof BACKENDS
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

async function verifications(backend: Backend, times: number): Promise<number> {
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

async function digests(backend: Backend, times: number): Promise<number> {
  // Without a native digest `sha3_384Async` is JavaScript too: there is nothing to compare.
  if (!nativeSupports('SHA3-384')) return 0
  let whole = 0
  for (let i = 0; i < times; i++) {
    const digest = backend === 'native' ? await sha3_384Async(block) : sha3_384(block)
    if (digest.length === DIGEST_BYTES) whole++
  }
  return whole
}

const LABEL_BYTES = 64
const prover = vrfProver(new Uint8Array(32).fill(1))
/** What a label of the key directory is computed from, in about its length. */
const name = (i: number) => new TextEncoder().encode(`did:svc:${String(i).padStart(32, '0')}`)

async function labels(_: Backend, times: number): Promise<number> {
  let proved = 0
  for (let i = 0; i < times; i++) if (prover.prove(name(i)).hash.length === LABEL_BYTES) proved++
  return proved
}

const shown = Array.from({ length: 8 }, (_, i) => prover.prove(name(i)).proof)

async function proofs(_: Backend, times: number): Promise<number> {
  let good = 0
  for (let i = 0; i < times; i++) {
    const proof = shown[i % shown.length] as Uint8Array
    if (verifyVrf(prover.publicKey, name(i % shown.length), proof)) good++
  }
  return good
}

const WORK: Readonly<Record<string, (backend: Backend, times: number) => Promise<number>>> = {
  '/verifications': verifications,
  '/digests': digests,
  '/labels': labels,
  '/proofs': proofs,
}

/** Does as much work as requested and returns how much of it succeeded. Timed from outside. */
export default {
  async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    const backend = searchParams.get('backend') === 'native' ? 'native' : 'noble'
    const done = await WORK[pathname]?.(backend, Number(searchParams.get('times')))
    return new Response(String(done))
  },
}
