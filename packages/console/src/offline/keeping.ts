/**
 * What may be kept of the verifier's files: the bytes of the build, under their own type. A host that answers with a page
 * in the place of a script, or with the file of another version, must not be kept for when there is no network.
 *
 * @module
 */

/** The SHA-384 of each file by its path, as in `integrity`; null for `config.json`, which differs by deployment. */
export type Manifest = Readonly<Record<string, string | null>>

export type KeptFiles = Pick<Cache, 'put' | 'delete' | 'keys' | 'match'>
type Ask = (path: string, init: RequestInit) => Promise<Response>

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css',
  js: 'text/javascript',
  json: 'application/json',
  svg: 'image/svg+xml',
  wasm: 'application/wasm',
}
const PAGE = 'text/html'

/** Keeps all of them, or, if one is not what it must be, none. */
export async function keepFiles(cache: KeptFiles, manifest: Manifest, ask: Ask): Promise<void> {
  const files = await Promise.all(
    Object.entries(manifest).map(async ([path, integrity]) => {
      // Asks the host even where the browser has kept an answer: that may be the wrong one.
      const response = await ask(path, { cache: 'no-cache', headers: { accept: typeOf(path) } })
      if (!(await isRight(path, integrity, response.clone())))
        throw new Error(`${path} is not the file of this version`)
      return [path, response] as const
    }),
  )
  await Promise.all(files.map(([path, response]) => cache.put(path, response)))
}

/** Drops what an earlier version kept that is not a file of this one. */
export async function dropWrongFiles(cache: KeptFiles, manifest: Manifest): Promise<void> {
  for (const request of await cache.keys()) {
    const path = new URL(request.url).pathname
    const response = await cache.match(request)
    const integrity = manifest[path]
    const isKept = integrity !== undefined && response && (await isRight(path, integrity, response))
    if (!isKept) await cache.delete(request)
  }
}

async function isRight(path: string, integrity: string | null, response: Response): Promise<boolean> {
  // Hosts have two names for scripts.
  const type = response.headers.get('content-type')?.split(';')[0]?.replace('application/java', 'text/java')
  if (response.status !== 200 || type !== typeOf(path)) return false
  const bytes = await response.arrayBuffer()
  if (integrity === null) return isJson(new Response(bytes))
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-384', bytes))
  return integrity === `sha384-${btoa(String.fromCharCode(...hash))}`
}

function typeOf(path: string): string {
  return TYPES[/\.(\w+)$/.exec(path)?.[1] ?? ''] ?? PAGE
}

async function isJson(body: Response): Promise<boolean> {
  try {
    return typeof (await body.json()) === 'object'
  } catch {
    return false
  }
}
