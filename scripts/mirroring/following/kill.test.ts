import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FakeDeployment } from '../deployment.fixture.ts'
import type { MirrorStore } from '../mirror-store.ts'
import { publicationNo, statePath } from '../signed-parts.fixture.ts'
import { followed } from './followed.fixture.ts'

describe('a kill', () => {
  let deployment: FakeDeployment
  /** A mirror that nothing killed. */
  let whole: MirrorStore
  let server: Server
  let origin = ''

  beforeAll(async () => {
    deployment = await FakeDeployment.create(300)
    deployment.publications = await Promise.all([0, 1, 2].map((number) => publicationNo(number)))
    whole = (await followed(deployment)).store
    server = createServer((request, response) => {
      void deployment.fetch(`http://any${request.url ?? ''}`).then(async (answer) => {
        response.writeHead(answer.status, { 'content-type': 'application/json' })
        response.end(await answer.text())
      })
    })
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve)
    })
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => server.close())

  it.each([1, 2, 9, 40, 300, 420, 600, 620, 633, 635, 638, 643, 645, 648])(
    'at write %d leaves a state from which it goes on',
    async (write) => {
      const path = statePath()
      const fixture = join(import.meta.dirname, 'killed-mirror.fixture.ts')
      const child = spawn(process.execPath, [fixture, path, String(write), origin], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const [, signal] = (await once(child, 'close')) as [number | null, string | null]
      expect(signal).toBe('SIGKILL')
      const { store, visits } = await followed(deployment, path)
      expect(visits.map(({ outcome }) => outcome)).toEqual(['followed', 'followed', 'followed'])
      for (const { name, head } of whole.logs()) {
        const log = store.findLog(name)
        expect(log?.head).toMatchObject({ checkpoint: { statement: head!.checkpoint.statement } })
        expect(await log?.root(head!.checkpoint.statement.size)).toBe(head?.checkpoint.statement.root)
      }
      expect([store.map.state, store.map.root]).toEqual([whole.map.state, whole.map.root])
      const count = (of: MirrorStore, table: string) => of.get(`SELECT count(*) AS n FROM ${table}`)?.['n']
      for (const table of ['leaves', 'bodies', 'tiles', 'map_pages', 'pages', 'publications'])
        expect(count(store, table)).toBe(count(whole, table))
    },
    60_000,
  )
})
