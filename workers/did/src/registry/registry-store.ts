import { reaching } from '@svc/protocol/dependency-fault'
import type { DidService } from '@svc/protocol/did'

export interface Registration {
  readonly did: string
  readonly scope: string
  readonly services: readonly DidService[]
  readonly registeredAt: number
  readonly updatedAt: number
}

interface Row {
  scope: string
  services: string
  registered_at: number
  updated_at: number
}

/** Registered DIDs in D1, one row each. */
export class RegistryStore {
  readonly #db: D1Database

  constructor(db: D1Database) {
    this.#db = db
  }

  async find(did: string): Promise<Registration | null> {
    const statement = this.#db
      .prepare('SELECT scope, services, registered_at, updated_at FROM registrations WHERE did = ?')
      .bind(did)
    const row = await reaching('registry', () => statement.first<Row>())
    return row && fromRow(did, row)
  }

  /** Registers, or updates what the same scope registered; null when the DID is another scope's. */
  async put(
    did: string,
    scope: string,
    services: readonly DidService[] | undefined,
    now: number,
  ): Promise<Registration | null> {
    const statement = this.#db
      .prepare(
        `INSERT INTO registrations (did, scope, services, registered_at, updated_at)
         VALUES (?1, ?2, coalesce(?3, '[]'), ?4, ?4)
         ON CONFLICT (did) DO UPDATE SET services = coalesce(?3, services), updated_at = ?4 WHERE scope = ?2
         RETURNING scope, services, registered_at, updated_at`,
      )
      .bind(did, scope, services ? JSON.stringify(services) : null, now)
    const row = await reaching('registry', () => statement.first<Row>())
    return row && fromRow(did, row)
  }
}

function fromRow(did: string, row: Row): Registration {
  return {
    did,
    scope: row.scope,
    services: JSON.parse(row.services) as DidService[],
    registeredAt: row.registered_at,
    updatedAt: row.updated_at,
  }
}
