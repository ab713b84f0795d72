/** did-plc/server on PostgreSQL, and what its clients send. */
import { Secp256k1Keypair } from '@atproto/crypto'
import * as plc from '@did-plc/lib'
import { Database, PlcServer } from '@did-plc/server'
import { answer } from './answer.mjs'

process.env.LOG_ENABLED = 'false'
const known = []
let at = 0

const sent = (did, op) => ({ method: 'POST', path: `/${did}`, body: JSON.stringify(op) })

answer({
  async start({ url }) {
    const db = Database.postgres({ url })
    await db.migrateToLatestOrThrow()
    const server = await PlcServer.create({ db, port: 0 }).start()
    return server.address().port
  },
  async create({ count }) {
    const requests = []
    for (let i = 0; i < count; i++) {
      const key = await Secp256k1Keypair.create()
      const handle = `person-${known.length}.example.com`
      const { op, did } = await plc.createOp({
        signingKey: key.did(),
        rotationKeys: [key.did()],
        handle,
        pds: 'https://pds.example.com',
        signer: key,
      })
      known.push({ key, did, op })
      requests.push(sent(did, op))
    }
    return requests
  },
  /** One after the other for each DID. */
  async update({ count }) {
    const requests = []
    for (let i = 0; i < count; i++) {
      const one = known[at % known.length]
      at += 1
      one.op = await plc.updateHandleOp(one.op, one.key, `renamed-${at}.example.com`)
      requests.push(sent(one.did, one.op))
    }
    return requests
  },
  resolve: ({ count }) =>
    Array.from({ length: count }, (_, i) => ({ method: 'GET', path: `/${known[i % known.length].did}` })),
})
