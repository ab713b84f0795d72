import { fromBase64url, toBase64url } from '../content/base64url.ts'
import { type Input, typedInput } from './input.ts'

/** Browsers and messengers cut longer addresses. */
const MAX_LINK = 200_000
const EVIDENCE = 'e='

/** The input as a fragment, which no server is sent; null if it is too large for a link. */
export async function fragmentOf({ bytes }: Input): Promise<string | null> {
  const packed = await through(bytes, new CompressionStream('deflate-raw'))
  const fragment = EVIDENCE + toBase64url(packed)
  return fragment.length <= MAX_LINK ? fragment : null
}

/** What a link carries: evidence as `fragmentOf` wrote it, or a DID, a hash or an address as it is. */
export async function inputOfFragment(fragment: string): Promise<Input | null> {
  if (fragment === '') return null
  try {
    if (!fragment.startsWith(EVIDENCE)) return typedInput(decodeURIComponent(fragment))
    const packed = fromBase64url(fragment.slice(EVIDENCE.length))
    return { bytes: await through(packed, new DecompressionStream('deflate-raw')), name: null, type: '' }
  } catch {
    return null
  }
}

async function through(bytes: Uint8Array, stream: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  const piped = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream().pipeThrough(stream)
  return new Uint8Array(await new Response(piped).arrayBuffer())
}
