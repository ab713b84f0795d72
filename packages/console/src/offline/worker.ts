/**
 * Keeps the files of the verifier, so that it works without a network. It sees requests of pages below `/verify/` only,
 * and answers none to a service.
 *
 * @module
 */

/** The build writes the names of the files here. A new name is a new worker, so a new version is fetched as a whole. */
const FILES = JSON.parse('["__OFFLINE_FILES__"]') as readonly string[]
const PAGE = '/verify/'
const CONFIGURATION = '/config.json'
const CACHE = `verify-${hashOf(FILES.join())}`

interface Extended extends Event {
  waitUntil(work: Promise<unknown>): void
}
interface Fetched extends Extended {
  readonly request: Request
  respondWith(response: Promise<Response>): void
}

addEventListener('install', (event) => (event as Extended).waitUntil(keep()))
addEventListener('activate', (event) => (event as Extended).waitUntil(forgetOthers()))
addEventListener('fetch', (event) => {
  const fetched = event as Fetched
  const { request } = fetched
  const { origin, pathname } = new URL(request.url)
  if (origin !== location.origin || request.method !== 'GET') return
  const answer = pathname.startsWith('/assets/') ? keptFirst(pathname, request) : networkFirst(pathname, request)
  fetched.respondWith(answer)
})

async function keep(): Promise<void> {
  const cache = await caches.open(CACHE)
  await cache.addAll([PAGE, CONFIGURATION, ...FILES])
}

async function forgetOthers(): Promise<void> {
  const names = await caches.keys()
  const old = names.filter((name) => name.startsWith('verify-') && name !== CACHE && name !== 'verify-answers')
  await Promise.all(old.map((name) => caches.delete(name)))
}

/** Files whose names have a hash of their content. */
async function keptFirst(path: string, request: Request): Promise<Response> {
  return (await (await caches.open(CACHE)).match(path)) ?? fetch(request)
}

async function networkFirst(path: string, request: Request): Promise<Response> {
  try {
    return await fetch(request)
  } catch (error) {
    const cache = await caches.open(CACHE)
    const kept = await cache.match(path.startsWith(PAGE) ? PAGE : path)
    if (kept) return kept
    throw error
  }
}

function hashOf(text: string): string {
  let hash = 5381
  for (const character of text) hash = (Math.imul(hash, 33) ^ (character.codePointAt(0) ?? 0)) >>> 0
  return hash.toString(16)
}
