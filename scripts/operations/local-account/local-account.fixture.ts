import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { WorkerName } from '@svc/platform/workspace'
import { committedConfigs, committedConsole } from '../account.ts'
import { CloudflareApi } from '../cloudflare-api.ts'
import { DEPLOYMENTS, type Deployment, readDeployment } from '../deployment.ts'
import { SecretsFile } from '../secrets.ts'
import type { Deploying } from '../uploads/files.ts'
import { ACCOUNT, FakeCloudflare, TOKEN } from './fake-cloudflare.fixture.ts'

/** An account on this machine, and a folder with the file and the secrets of an environment, `staging`, in it. */
export class LocalAccount {
  readonly fake: FakeCloudflare
  readonly api: CloudflareApi
  readonly folder = mkdtempSync(join(tmpdir(), 'svc-account-'))
  readonly configs = committedConfigs()
  readonly printed: string[] = []
  readonly print = (line: string): void => void this.printed.push(line)

  private constructor(fake: FakeCloudflare) {
    this.fake = fake
    this.api = this.apiIn()
    writeFileSync(this.file, readFileSync(join(DEPLOYMENTS, 'staging.json')))
  }

  static async open(): Promise<LocalAccount> {
    return new LocalAccount(await FakeCloudflare.start())
  }

  async close(): Promise<void> {
    await this.fake.stop()
    rmSync(this.folder, { recursive: true })
  }

  get file(): string {
    return join(this.folder, 'staging.json')
  }

  get secretsPath(): string {
    return join(this.folder, 'secrets/staging.json')
  }

  get deployment(): Deployment {
    return readDeployment('staging', this.folder)
  }

  get secrets(): SecretsFile {
    return SecretsFile.read(this.secretsPath)
  }

  apiIn(location?: Deployment['location']): CloudflareApi {
    const credentials = { accountId: ACCOUNT, token: TOKEN, baseUrl: this.fake.url }
    return new CloudflareApi(location === undefined ? credentials : { ...credentials, location })
  }

  /** What `scripts/provision` is called with. */
  get provisioning() {
    const { deployment, configs, secrets, print } = this
    return { deployment, configs, secrets, fileSets: [], print }
  }

  /** An operator's file, in which nothing of the example is left. */
  forWrangler(): void {
    const example = readFileSync(this.file, 'utf8')
    const own = example.replaceAll('site key of example.com', '0x4AAAAAAA').replaceAll(/example\.com/g, 'svc.test')
    writeFileSync(this.file, own)
  }

  /** What `scripts/deploy` is called with, of these Workers alone. */
  deploying(sha: string, workers: readonly WorkerName[]): Deploying {
    return {
      deployment: this.deployment,
      configs: new Map([...this.configs].filter(([worker]) => workers.includes(worker))),
      consoleConfig: committedConsole(),
      secrets: this.secrets,
      sha,
      folder: join(this.folder, 'work'),
      print: this.print,
    }
  }
}
