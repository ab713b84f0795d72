import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { dropWrongFiles, type KeptFiles, keepFiles, type Manifest } from './keeping.ts'

const ORIGIN = 'https://console.example'
const TYPES: Readonly<Record<string, string>> = { js: 'text/javascript', css: 'text/css', json: 'application/json' }

/** The files of a version by path, as its host serves them. */
type Version = Readonly<Record<string, string>>
const ONE: Version = { '/verify/': '<p>1</p>', '/assets/index-11.js': 'one()', '/assets/index-1a.css': 'p {}' }
const TWO: Version = { '/verify/': '<p>2</p>', '/assets/index-22.js': 'two()', '/assets/index-1a.css': 'p {}' }

const hashOf = (text: string) => `sha384-${createHash('sha384').update(text).digest('base64')}`
function manifestOf(version: Version): Manifest {
  const files = Object.entries(version).map(([path, text]) => [path, hashOf(text)])
  return { '/config.json': null, ...Object.fromEntries(files) }
}
const answer = (text: string, type: string, status = 200) =>
  new Response(text, { status, headers: { 'content-type': `${type}; charset=utf-8` } })

/** A host with this version deployed. */
const hostOf = (version: Version) => async (path: string) => {
  if (path === '/config.json') return answer('{}', 'application/json')
  const text = version[path]
  if (text === undefined) return answer('Not found', 'text/plain', 404)
  return answer(text, TYPES[path.split('.')[1] ?? ''] ?? 'text/html')
}
/** A host that shows its page at every address. */
const fallingBack = (version: Version) => async (path: string) => {
  const found = await hostOf(version)(path)
  return found.ok ? found : answer('<p>page</p>', 'text/html')
}

let kept: Map<string, Response>
let cache: KeptFiles
beforeEach(() => {
  kept = new Map()
  const pathOf = (request: RequestInfo | URL) =>
    new URL(request instanceof Request ? request.url : request, ORIGIN).pathname
  cache = {
    put: async (request, response) => void kept.set(pathOf(request), response),
    delete: async (request) => kept.delete(pathOf(request)),
    keys: async () => [...kept.keys()].map((path) => new Request(ORIGIN + path)),
    match: async (request) => kept.get(pathOf(request))?.clone(),
  }
})
const paths = () => [...kept.keys()].toSorted()

describe('the files of the verifier', () => {
  it('are kept as the build has them', async () => {
    await keepFiles(cache, manifestOf(ONE), hostOf(ONE))
    expect(paths()).toEqual(['/assets/index-11.js', '/assets/index-1a.css', '/config.json', '/verify/'])
    expect(await kept.get('/assets/index-11.js')?.text()).toBe('one()')
  })

  it('are kept with scripts under either name of their type', async () => {
    const ask = async (path: string) =>
      path.endsWith('.js') ? answer('one()', 'application/javascript') : hostOf(ONE)(path)
    await keepFiles(cache, manifestOf(ONE), ask)
    expect(paths()).toContain('/assets/index-11.js')
  })

  it('are asked for as what they are, past what the browser has kept', async () => {
    const asked: unknown[] = []
    await keepFiles(cache, manifestOf(ONE), (path, init) => {
      asked.push([path, init.cache, init.headers])
      return hostOf(ONE)(path)
    })
    expect(asked).toContainEqual(['/verify/', 'no-cache', { accept: 'text/html' }])
    expect(asked).toContainEqual(['/assets/index-11.js', 'no-cache', { accept: 'text/javascript' }])
  })

  const wrong: readonly [string, Response][] = [
    ['a page', answer('<p>page</p>', 'text/html')],
    ['a page under the type of a script', answer('<p>page</p>', 'text/javascript')],
    ['a script under the type of a page', answer('one()', 'text/html')],
    ['the script of another version', answer('two()', 'text/javascript')],
    ['a refusal', answer('one()', 'text/javascript', 503)],
    ['nothing', new Response(null, { status: 204, headers: { 'content-type': 'text/javascript' } })],
  ]
  it.each(wrong)('are not kept, none of them, with %s in the place of one', async (_, response) => {
    const ask = async (path: string) => (path === '/assets/index-11.js' ? response : hostOf(ONE)(path))
    await expect(keepFiles(cache, manifestOf(ONE), ask)).rejects.toThrow('/assets/index-11.js')
    expect(paths()).toEqual([])
  })

  it('are not kept with a page in the place of the configuration', async () => {
    const ask = async (path: string) =>
      path === '/config.json' ? answer('<p>', 'application/json') : hostOf(ONE)(path)
    await expect(keepFiles(cache, manifestOf(ONE), ask)).rejects.toThrow('/config.json')
  })

  it('of an old tab are kept again after a deployment and its roll-back, and nothing else meanwhile', async () => {
    for (const host of [hostOf(TWO), fallingBack(TWO)]) {
      await expect(keepFiles(cache, manifestOf(ONE), host)).rejects.toThrow('is not the file of this version')
      expect(paths()).toEqual([])
    }
    await keepFiles(cache, manifestOf(ONE), hostOf(ONE))
    expect(await kept.get('/assets/index-11.js')?.text()).toBe('one()')
  })

  it('that an earlier version kept and that are wrong are dropped, and the others stay', async () => {
    await keepFiles(cache, manifestOf(ONE), hostOf(ONE))
    kept.set('/assets/index-11.js', answer('<p>page</p>', 'text/html'))
    kept.set('/assets/older-00.js', answer('old()', 'text/javascript'))
    await dropWrongFiles(cache, manifestOf(ONE))
    expect(paths()).toEqual(['/assets/index-1a.css', '/config.json', '/verify/'])
  })
})
