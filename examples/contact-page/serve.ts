import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.json': 'application/json',
}

/** A file of the site. Nothing else can name one outside its folder. */
const FILE = /^\/((?:chunks\/)?[\w-]+(\.[a-z]+))$/

/** Serves the files of a folder, as any static host does. */
export async function serve(site: string, port: number): Promise<Server> {
  const server = createServer((request, response) => {
    void (async () => {
      const { pathname } = new URL(request.url ?? '/', 'http://localhost')
      const [, name = '', ending = ''] = FILE.exec(pathname === '/' ? '/index.html' : pathname) ?? []
      const type = TYPES[ending]
      const body = type === undefined ? null : await readFile(join(site, name)).catch(() => null)
      if (body === null) response.writeHead(404, { 'Content-Type': 'text/plain' }).end('Not found\n')
      else response.writeHead(200, { 'Content-Type': type, 'Cache-Control': 'no-store' }).end(body)
    })()
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, 'localhost', resolve)
  })
  return server
}
