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
  if (!fragment.startsWith(EVIDENCE)) return typedInput(decodeURIComponent(fragment))
  try {
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

function toBase64url(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

function fromBase64url(text: string): Uint8Array {
  const decoded = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(decoded, (character) => character.charCodeAt(0))
}
