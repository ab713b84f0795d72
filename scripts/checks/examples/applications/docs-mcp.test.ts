import { sharedPlatform } from '@svc/platform/shared-platform'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startExample } from './running-example.ts'

const server = startExample('docs-mcp/server.ts', { env: { DOCS_URL: sharedPlatform().urls.docs ?? '' } })
afterAll(() => server.stop())

let id = 0
async function ask(method: string, params: object = {}) {
  id += 1
  server.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
  const answer = JSON.parse(await server.nextLine())
  expect(answer).toMatchObject({ jsonrpc: '2.0', id })
  return answer.result ?? answer.error
}
const call = async (name: string, args: object) => ask('tools/call', { name, arguments: args })

beforeAll(async () => {
  const clientInfo = { name: 'test', version: '1' }
  const answer = await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
  expect(answer).toMatchObject({ protocolVersion: '2025-06-18', serverInfo: { name: 'svc-docs' } })
  server.send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }))
}, 60_000)

it('lists its tools and every page', async () => {
  const { tools } = await ask('tools/list')
  expect(tools.map(({ name }: { name: string }) => name)).toEqual(['search_docs', 'read_page'])
  const { resources } = await ask('resources/list')
  expect(resources.length).toBeGreaterThan(50)
  expect(resources).toContainEqual(expect.objectContaining({ uri: 'svc-docs://developer/consent', title: 'Consent' }))
})

it('finds a section by a name in it', async () => {
  const { content } = await call('search_docs', { query: 'consent_held' })
  expect(content[0].text).toMatch(/^\/developer\/(?:consent|errors|declare-ai-use) /m)
}, 60_000)

it('reads a page as a tool and as a resource', async () => {
  const text = await (await fetch(`${sharedPlatform().urls.docs}/developer/consent.md`)).text()
  for (const path of ['/developer/consent', '/developer/consent.md', '/developer/consent#reading'])
    expect(await call('read_page', { path })).toEqual({ content: [{ type: 'text', text }] })
  const { contents } = await ask('resources/read', { uri: 'svc-docs://developer/consent' })
  expect(contents).toEqual([{ uri: 'svc-docs://developer/consent', mimeType: 'text/markdown', text }])
})

it.each(['/health', '/developer/../health', '/developer/no-such-page', 'https://other.example/health'])(
  'reads nothing but pages: %s',
  async (path) => {
    expect(await call('read_page', { path })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('There is no page') }],
    })
  },
)
