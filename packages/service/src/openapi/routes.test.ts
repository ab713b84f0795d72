import { expect, it } from 'vitest'
import { deployed, TOY_BASE, toy, toyRuntime } from '../app/service.fixture.ts'
import { Prober } from '../testing/prober.ts'

const DOCUMENT = '{"openapi":"3.1.0","info":{},"paths":{}}'
const MARKDOWN = '# Toy\n'
const PATHS = ['/openapi.json', '/docs/API.md']

function described(files: Readonly<Record<string, string>>) {
  const runtime = toyRuntime(undefined, deployed(files))
  const { service, send } = toy([], { markdownPaths: ['/docs/API.md'] }, () => runtime)
  return { send, prober: new Prober({ service, send, base: TOY_BASE }) }
}

it('serves what was deployed, byte for byte', async () => {
  const { send } = described({ '/openapi.json': DOCUMENT, '/openapi.md': MARKDOWN })
  const texts = PATHS.map(async (path) => (await send(new Request(TOY_BASE + path))).text())
  expect(await Promise.all(texts)).toEqual([DOCUMENT, MARKDOWN])
})

it.each(PATHS)('answers 503 at %s where the file was not deployed, or is empty', async (path) => {
  for (const files of [{}, { '/openapi.json': '', '/openapi.md': '' }]) {
    const { prober } = described(files)
    const { status, error, headers } = await prober.send({ method: 'GET', path })
    expect({ status, error }).toEqual({ status: 503, error: 'dependency_unavailable' })
    expect(headers.get('cache-control')).toBe('no-store')
    const { send } = described(files)
    expect((await send(new Request(TOY_BASE + path, { method: 'HEAD' }))).status).toBe(503)
  }
})
