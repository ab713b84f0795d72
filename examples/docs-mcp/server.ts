// A server of the Model Context Protocol for the pages of a documentation host. See README.md.
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import * as z from 'zod'
import { DocsPages } from './docs-pages.ts'

const pages = new DocsPages(process.env['DOCS_URL'] ?? 'http://localhost:8794')
const server = new McpServer({ name: 'svc-docs', version: '0.1.0' })
const READS = { readOnlyHint: true, openWorldHint: false }

server.registerTool(
  'search_docs',
  {
    title: 'Search the documentation',
    description: 'Finds sections of the documentation by words. Returns the path of each page, for read_page.',
    inputSchema: { query: z.string().min(1).max(200).describe('Words, names of routes, errors or methods') },
    annotations: READS,
  },
  async ({ query }) => {
    const found = await pages.search(query)
    const lines = found.map(({ path, title, heading, excerpt }) => {
      const name = heading === '' ? title : `${title}: ${heading}`
      return `${path} (${name})\n${excerpt}`
    })
    const text = lines.length === 0 ? 'Nothing was found. Use other words.' : lines.join('\n\n')
    return { content: [{ type: 'text', text }] }
  },
)

server.registerTool(
  'read_page',
  {
    title: 'Read a page of the documentation',
    description: 'Returns a page as Markdown.',
    inputSchema: { path: z.string().min(1).max(200).describe('A path such as /developer/notes') },
    annotations: READS,
  },
  async ({ path }) => ({ content: [{ type: 'text', text: await pages.page(path) }] }),
)

server.registerResource(
  'page',
  new ResourceTemplate('svc-docs://{section}/{slug}', {
    list: async () => ({
      resources: (await pages.list()).map(({ path, title, summary }) => ({
        uri: `svc-docs:/${path}`,
        name: path.slice(1),
        title,
        description: summary,
        mimeType: 'text/markdown',
      })),
    }),
  }),
  { title: 'Pages of the documentation', mimeType: 'text/markdown' },
  async (uri, { section, slug }) => ({
    contents: [
      { uri: uri.href, mimeType: 'text/markdown', text: await pages.page(`/${String(section)}/${String(slug)}`) },
    ],
  }),
)

// Standard output has messages of the protocol only.
await server.connect(new StdioServerTransport())
