import {
  type CloseRefusal,
  LOG_SCHEMA,
  LogFiles,
  type LogHead,
  type PlacedLeaf,
  Sequencer,
  type SubmitRefusal,
} from '@svc/log'
import { VersionedObject } from '@svc/objects'
import { DeploymentSigner } from '@svc/protocol/base/deployment-signer'
import type { Result } from '@svc/protocol/base/result'
import type { LogEnding, NextLog } from '@svc/protocol/merkle/roll'
import type { LogBucket } from '../src/files.ts'
import type { SubmittedLeaf } from '../src/store.ts'

interface TestEnv {
  readonly LOGS: DurableObjectNamespace<TestLogObject>
  readonly TILES: R2Bucket
}

const REALMS = ['https://core.test'] as const
/** By version of the seed. */
const signers = [undefined, ...['11', '22'].map((byte) => new DeploymentSigner(byte.repeat(32), REALMS))]

/** A log whose lines are `{"leaf": id}`. */
export class TestLogObject extends VersionedObject<TestEnv> {
  static override readonly schemas = [LOG_SCHEMA]
  readonly sequencer: Sequencer

  constructor(
    ctx: DurableObjectState,
    env: TestEnv,
    bucket: LogBucket = env.TILES,
    now: () => number = Date.now,
    log = ctx.id.name ?? '',
    isKnown: (leafId: string) => Promise<boolean> = () => Promise.resolve(false),
    wait: (ms: number) => Promise<unknown> = (ms) => scheduler.wait(ms / 20),
  ) {
    super(ctx, env)
    this.sequencer = new Sequencer({
      stored: this.stored,
      files: new LogFiles(bucket, log),
      // A name that ends so is opened by the log before it.
      founding: log.endsWith('/next') ? null : { keyVersion: 1 },
      leafIdOf: (line) => (JSON.parse(line) as { leaf?: string }).leaf ?? null,
      isKnown,
      onFault: () => {},
      sign: ({ size, root, keyVersion }, issuedAt) =>
        signers[keyVersion]?.sign({ type: 'svc/anchor-checkpoint/v1', log, size, root, issuedAt } as const) ??
        Promise.resolve(null),
      now,
      wait,
    })
  }

  submit(sentAt: number, leaves: readonly SubmittedLeaf[]): Promise<Result<PlacedLeaf[], SubmitRefusal>> {
    return this.sequencer.submit(sentAt, leaves)
  }

  acknowledge(indexes: readonly number[]): Promise<void> {
    return this.sequencer.acknowledge(indexes)
  }

  close(next: NextLog): Promise<Result<LogEnding, CloseRefusal>> {
    return this.sequencer.close(next)
  }

  head(): Promise<LogHead> {
    return this.sequencer.head()
  }

  override async alarm(): Promise<void> {
    await this.sequencer.tidy()
  }
}

// biome-ignore lint/style/noDefaultExport: the runtime looks for one
export default { fetch: () => new Response() }
