import { afterAll, beforeAll, expect, it } from 'vitest'
import { sdkBundle, Visit } from './browser.fixture.ts'

/** Set by the bundle for the page. */
declare const sdk: Pick<typeof import('@svc/client'), 'Client' | 'Identity'>

let visit: Visit
let bundle = ''
beforeAll(async () => {
  bundle = await sdkBundle('index.ts')
  visit = await Visit.begin()
}, 60_000)
afterAll(() => visit.end())

it('a page watches the event feed by the WebSocket of the browser', async () => {
  const { core, did } = visit.platform.urls
  const page = await visit.newPage({ bypassCSP: true })
  await page.goto(`${visit.platform.consoleUrl}/config.json`)
  await page.addScriptTag({ content: bundle })
  const sockets: string[] = []
  const frames: unknown[] = []
  page.on('websocket', (socket) => {
    sockets.push(socket.url())
    socket.on('framereceived', ({ payload }) => frames.push(payload))
  })
  const told = await page.evaluate(
    async (places) => {
      const opened = Promise.withResolvers<void>()
      class Watched extends WebSocket {
        constructor(address: string, protocols: string[]) {
          super(address, protocols)
          this.addEventListener('message', () => opened.resolve())
        }
      }
      const identity = await sdk.Identity.create()
      const client = new sdk.Client({ ...places, identity, WebSocket: Watched })
      await client.chain.genesis()
      await client.security.placeHold()
      const kinds: string[] = []
      for await (const { events } of client.events.watch()) {
        kinds.push(...events.map(({ kind }) => kind))
        if (kinds.length > 1) break
        await opened.promise
        setTimeout(() => void client.security.liftHold(), 100)
      }
      return kinds
    },
    { core, did },
  )
  expect(told).toEqual(['hold.placed', 'hold.lifted'])
  expect(sockets).toEqual([`${core.replace('http', 'ws')}/api/events/socket`])
  expect(frames).toContain('{"head":2}')
})
