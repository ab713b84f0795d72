import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { Person } from '../examples/stranger.ts'
import { generatedClients } from './generate.ts'

const HERE = 'https://pay.test'

interface Generated {
  readonly createClient: (settings: object) => object
  readonly readQuota: (request: object) => Promise<unknown>
}

it('a generated client sends an assertion with its own security code, in the form that services take', async () => {
  using made = await generatedClients(['pay'])
  const load = (file: string) =>
    import(/* @vite-ignore */ pathToFileURL(`${made.folder}/hey/pay/${file}`).href) as Promise<Generated>
  const [{ createClient }, { readQuota }] = await Promise.all([load('client/index.ts'), load('index.ts')])
  const sent: Request[] = []
  const fetch = async (request: Request) => {
    sent.push(request)
    return Response.json({})
  }
  const token = new Person().assertion('provenance', 'GET', `${HERE}/quota`, Buffer.from('')).replace(/^\w+ /, '')
  await readQuota({ client: createClient({ baseUrl: HERE, fetch }), auth: token })
  expect(sent.map(({ url, headers }) => [url, headers.get('authorization')])).toEqual([
    [`${HERE}/quota`, `Bearer ${token}`],
  ])
})
