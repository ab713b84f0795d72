/**
 * Keeps the files of the verifier, so that it works without a network. It sees requests of pages below `/verify/` only,
 * and answers none to a service.
 *
 * @module
 */
import { dropWrongFiles, keepFiles, type Manifest } from './keeping.ts'

/** The build writes the files and their hashes here. A new one is a new worker, so a new version is fetched as a whole. */
const WRITTEN = '{"__OFFLINE_FILES__":null}'
const FILES = JSON.parse(WRITTEN) as Manifest
const PAGE = '/verify/'
const CACHE = `verify-${hashOf(WRITTEN)}`

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
  await keepFiles(await caches.open(CACHE), FILES, (path, init) => fetch(path, init))
}

async function forgetOthers(): Promise<void> {
  const names = await caches.keys()
  const old = names.filter((name) => name.startsWith('verify-') && name !== CACHE && name !== 'verify-answers')
  await Promise.all(old.map((name) => caches.delete(name)))
  await dropWrongFiles(await caches.open(CACHE), FILES)
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
