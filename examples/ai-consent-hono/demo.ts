// Declares AI use for a picture, and serves it with the declaration. See README.md.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client, Identity } from '@svc/client'
import { hashOf } from '@svc/client/functions'
import { Hono } from 'hono'
import { AiConsent, byContent } from './ai-consent.ts'

const core = process.env['CORE_URL'] ?? 'http://localhost:8787'
const port = Number(process.env['PORT'] ?? 3001)

const identity = await Identity.create()
const photographer = await Client.connect({ core, identity })
await photographer.chain.genesis()

/** A picture of its own for each author: an identifier belongs to the first who declares for it. */
const picture = (title: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><title>${title}, by ${identity.did}</title><path d="M4 1h1l1 7H3z"/></svg>`
const pictures = new Map(['lighthouse', 'harbour'].map((title) => [`${title}.svg`, picture(title)]))

const site = `https://photos.example/by/${identity.did}`
const preferences = { ai_training: 'disallow', search: 'allow' } as const
const lighthouse = new TextEncoder().encode(pictures.get('lighthouse.svg'))
await photographer.consent.publish(`sha3-384:${await hashOf(lighthouse)}`, preferences)
await photographer.consent.publish(site, preferences)

const client = await Client.connect({ core })
const aiConsent = new AiConsent({ client, creators: [identity.did], onFailure: 'open' })
const app = new Hono()
app.get('/robots.txt', aiConsent.robots(site))
app.use('/pictures/*', aiConsent.headers(byContent))
app.get('/pictures/:name', (c) => {
  const found = pictures.get(c.req.param('name'))
  return found === undefined ? c.notFound() : c.body(found, 200, { 'Content-Type': 'image/svg+xml' })
})

// For Node.js. A Worker, Deno and Bun take `app.fetch` as it is.
const server = createServer((request, response) => {
  void (async () => {
    const answer = await app.request(request.url ?? '/', { method: request.method ?? 'GET' })
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    response.end(new Uint8Array(await answer.arrayBuffer()))
  })()
})
server.listen(port, 'localhost', () => {
  const address = `http://localhost:${(server.address() as AddressInfo).port}`
  console.log(`curl -i ${address}/pictures/lighthouse.svg   has a declaration`)
  console.log(`curl -i ${address}/pictures/harbour.svg      has none`)
  console.log(`curl -i ${address}/robots.txt                has that of the site`)
})
