import type { VerifiedAssertion } from '@svc/assertion'
import { IdentityObject as Identity } from '../../../../workers/core/src/identity/object.ts'
import type { IdentityCounts } from './identity-counts.ts'

const USER_ID = 'ab'.repeat(48)
const DID = `did:svc:${'b'.repeat(32)}`
const HASH = 'cd'.repeat(48)

/** The identity of a caller whose assertions are not verified: what is counted is what its object does. */
export class IdentityObject extends Identity {
  counts(reads: number): IdentityCounts {
    const { sql } = this.stored
    const emptyBytes = this.ctx.storage.sql.databaseSize
    this.#create()
    const newBytes = this.ctx.storage.sql.databaseSize
    const trees = sql.exec("SELECT 1 FROM sqlite_master WHERE name NOT GLOB '_cf_*'").toArray().length
    let readBytes = 0
    const rowsWritten = this.#rowsOf(() => {
      for (let i = 0; i < reads; i++) {
        if (!this.head(assertionOf(i)).ok) throw new Error('a read was refused')
        if (i === 0) readBytes = this.ctx.storage.sql.databaseSize
      }
    })
    return { emptyBytes, newBytes, readBytes, rowsWritten, trees }
  }

  /** With a key, a signature and hashes of full length. */
  #create(): void {
    const key = { epoch: 0, userId: USER_ID, publicKey: new Uint8Array(1_952).fill(1), activatedAt: Date.now() }
    const genesis = {
      index: 0,
      hash: HASH,
      version: 4 as const,
      timestamp: new Date().toISOString(),
      previousHash: '0'.repeat(96),
      dataHash: HASH,
      metadataHash: HASH,
      signature: new Uint8Array(3_309).fill(1),
      contentType: null,
      keyEpoch: 0,
    }
    const created = this.init({ did: DID, scope: USER_ID, key, genesis, commitment: null })
    if (!created.ok) throw new Error('the identity was not created')
  }

  #rowsOf(work: () => void): number {
    const { sql } = this.stored
    const exec = sql.exec.bind(sql)
    let rows = 0
    sql.exec = ((...query: Parameters<typeof exec>) => {
      const cursor = exec(...query)
      rows += cursor.rowsWritten
      return cursor
    }) as typeof exec
    work()
    sql.exec = exec
    return rows
  }
}

function assertionOf(i: number): VerifiedAssertion {
  return {
    userId: USER_ID,
    keyDid: DID,
    publicKeyB64u: '',
    signer: USER_ID,
    device: null,
    requiredCapability: 'chain:read',
    nonce: `nonce-${i}`,
    keepUntil: Date.now() + 180_000,
  }
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const reads = Number(new URL(request.url).searchParams.get('reads'))
    const identity = env.IDENTITIES.getByName(DID) as unknown as DurableObjectStub<IdentityObject>
    return Response.json(await identity.counts(reads))
  },
}
