import { SetupError, type WorkerName } from '@svc/platform/workspace'
import type { CloudflareApi } from '../cloudflare-api.ts'
import type { Deployment } from '../deployment.ts'
import type { RawConfig } from '../worker-deployment.ts'
import { exportedSql, importSql } from './d1-transfers.ts'
import type { Databases, Row } from './databases.ts'

/** The names of the databases that the Workers bind, each once. */
export function databaseNames(configs: ReadonlyMap<WorkerName, RawConfig>): string[] {
  const names = [...configs.values()].flatMap(({ d1_databases: bound = [] }) =>
    bound.map(({ database_name: name }) => name),
  )
  return [...new Set(names)].toSorted()
}

/** The databases of an environment at Cloudflare. */
export class AccountDatabases implements Databases {
  readonly names: readonly string[]
  readonly #api: CloudflareApi
  readonly #deployment: Deployment

  constructor(api: CloudflareApi, deployment: Deployment, configs: ReadonlyMap<WorkerName, RawConfig>) {
    this.#api = api
    this.#deployment = deployment
    this.names = databaseNames(configs)
  }

  export(name: string): Promise<string> {
    return exportedSql(this.#api, this.#idOf(name))
  }

  query(name: string, sql: string): Promise<readonly Row[]> {
    return this.#api.query(this.#idOf(name), sql)
  }

  run(name: string, statements: readonly string[]): Promise<void> {
    return importSql(this.#api, this.#idOf(name), `${statements.join(';\n')};\n`)
  }

  #idOf(name: string): string {
    const { suffix, resources } = this.#deployment
    const id = resources.d1[name + suffix]
    if (id) return id
    throw new SetupError(
      `deployments/${this.#deployment.name}.json has no id of ${name}${suffix}: run scripts/provision first.`,
    )
  }
}
