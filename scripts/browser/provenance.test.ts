import { join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ROOT } from '../lib/workspace.ts'
import { Visit } from './browser.fixture.ts'

/** What the page calls; the bundle puts it there. */
declare const sdk: Pick<typeof import('@svc/client'), 'Client' | 'Identity'>

const TEXT = `A heron stands every evening on the third post of the old ferry landing and looks downstream, where the mill used
to be. The miller's daughter says that it has done so since the flood, and that nobody has seen it catch a fish. When
the carnival boats come past with their lanterns it does not move; only the geese make room for it in the reeds.`
const WORDS = ['heron', 'ferry', 'downstream', 'miller', 'daughter', 'carnival', 'lanterns', 'geese']

let visit: Visit
beforeAll(async () => {
  visit = await Visit.begin((portBase) => {
    const ALLOWED_ORIGINS = [`http://localhost:${portBase + 5}`]
    return { vars: { core: { ALLOWED_ORIGINS }, provenance: { ALLOWED_ORIGINS }, pay: { ALLOWED_ORIGINS } } }
  })
}, 60_000)
afterAll(() => visit.end())

it('registers a text in Chromium and finds an excerpt of it, and no word of it leaves the page', async () => {
  const { outputFiles } = await build({
    entryPoints: [join(ROOT, 'packages/client/src/index.ts')],
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'sdk',
    target: 'es2024',
    platform: 'browser',
  })
  const { core, did, pay, provenance, auth } = visit.platform.urls
  const page = await visit.newPage({ bypassCSP: true })
  const wire: string[] = []
  page.on('request', (request) => {
    wire.push(`${request.url()} ${JSON.stringify(request.headers())} ${request.postData() ?? ''}`.toLowerCase())
  })
  await page.goto(`${auth}/health`)
  await page.addScriptTag({ content: outputFiles[0]?.text ?? '' })
  wire.length = 0
  const found = await page.evaluate(
    async ({ places, text }) => {
      const client = new sdk.Client({ ...places, identity: await sdk.Identity.create() })
      await client.chain.genesis()
      const registered = await client.provenance.registerText(text)
      const again = await client.provenance.registerText(text.toUpperCase())
      const excerpt = text.split(/\s+/).slice(10, 50).join(' ')
      const { matches } = await client.provenance.searchText(excerpt)
      return { registered, again, matches }
    },
    { places: { core, did, pay, provenance }, text: TEXT },
  )
  expect(found.registered).toMatchObject({ duplicate: false })
  expect(found.again).toEqual({ ...found.registered, duplicate: true })
  expect(found.matches[0]).toMatchObject({ asset_id: found.registered.asset_id })
  expect(found.matches[0]?.score).toBeGreaterThan(0.4)
  const posts = wire.filter((request) => /\/api\/(register|query)\/text/.test(request))
  expect(posts.length).toBeGreaterThanOrEqual(3)
  for (const request of wire) for (const word of WORDS) expect(request).not.toContain(word)
})
