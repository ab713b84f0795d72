import type { Fetch } from '@svc/client'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sdkBundle, Visit } from './browser.fixture.ts'

/** Set by the bundle for the page. */
declare const sdk: Pick<typeof import('@svc/client'), 'Client' | 'Identity'> &
  typeof import('@svc/client/browser') &
  Pick<typeof import('@svc/client/functions'), 'discover'>

let visit: Visit
let bundle = ''
beforeAll(async () => {
  bundle = await sdkBundle('index.ts', 'browser/browser.ts', 'functions.ts')
  visit = await Visit.begin()
}, 60_000)
afterAll(() => visit.end())

/** Two tabs of one browser. */
async function tabs(): Promise<readonly [Page, Page]> {
  const one = await visit.newPage({ bypassCSP: true })
  const pages = [one, await one.context().newPage()] as const
  for (const page of pages) {
    await page.goto(`${visit.platform.consoleUrl}/config.json`)
    await page.addScriptTag({ content: bundle })
  }
  return pages
}

it('keeps in IndexedDB what a client has seen, for another tab and for the next visit', async () => {
  const [one, other] = await tabs()
  const seen = await one.evaluate(async (core) => {
    const identity = await sdk.Identity.create()
    const trustStore = new sdk.IndexedDbStore('deployment')
    const client = await sdk.Client.connect({ core, identity, trustStore })
    await client.chain.genesis()
    const before = await client.chain.head()
    await client.chain.append({})
    const { signing, kem } = identity.revealSeeds()
    const seeds = { signing: Array.from(signing), kem: Array.from(kem) }
    return { before, seeds, trust: client.discovery?.trust }
  }, visit.platform.urls.core)
  expect(seen.trust).toBe('first-seen')
  await one.reload()
  const found = await other.evaluate(
    async ({ core, before, seeds }) => {
      const bytes = { signing: Uint8Array.from(seeds.signing), kem: Uint8Array.from(seeds.kem) }
      const trustStore = new sdk.IndexedDbStore('deployment')
      // A core that shows the older head.
      const lying: Fetch = async (url, init) => {
        const answer = await fetch(url, init)
        if (!url.endsWith('/api/chain/head')) return answer
        const body = (await answer.json()) as { data: object }
        return Response.json({ ...body, data: { ...body.data, ...before } })
      }
      const identity = await sdk.Identity.fromSeeds(bytes)
      const client = await sdk.Client.connect({ core, identity, trustStore, fetch: lying })
      const error = await client.chain.head().then(
        () => 'believed',
        (fault: Error) => fault.name,
      )
      return { error, trust: client.discovery?.trust }
    },
    { core: visit.platform.urls.core, ...seen },
  )
  expect(found).toEqual({ error: 'RollbackError', trust: 'given' })
})

it('loses no change of two tabs at a time, and lets one of them write', async () => {
  const pages = await tabs()
  const count = (page: Page) =>
    page.evaluate(async () => {
      const store = new sdk.IndexedDbStore('counter')
      for (let i = 0; i < 20; i++)
        await store.exclusively('count', async () => {
          await store.set('count', (((await store.get('count')) as number | undefined) ?? 0) + 1)
        })
    })
  await Promise.all(pages.map(count))
  const left = await pages[0].evaluate(async () => {
    const store = new sdk.IndexedDbStore('counter')
    await store.set('later', { deep: [1, null] })
    await store.set('count', await store.get('count'))
    const before = await store.keys()
    await store.delete('later')
    await store.close()
    return { before, count: await store.get('count'), later: await store.get('later'), keys: await store.keys() }
  })
  expect(left).toEqual({ before: ['later', 'count'], count: 40, later: undefined, keys: ['count'] })
})

it('reads the entries of a prefix from IndexedDB at once', async () => {
  const [one, other] = await tabs()
  await one.evaluate(async () => {
    const store = new sdk.IndexedDbStore('entries')
    for (const key of ['log/note/b', 'log/note/a', 'log/notes', 'log/nota']) await store.set(key, { key })
  })
  const found = await other.evaluate(() => new sdk.IndexedDbStore('entries').entries('log/note/'))
  expect(found).toEqual([
    ['log/note/a', { key: 'log/note/a' }],
    ['log/note/b', { key: 'log/note/b' }],
  ])
})
