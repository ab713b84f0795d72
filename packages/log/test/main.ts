import { LOG_SCHEMA, LogFiles, type LogHead, type PlacedLeaf, Sequencer, type SubmitRefusal } from '@svc/log'
import { VersionedObject } from '@svc/objects'
import { DeploymentSigner } from '@svc/protocol/base/deployment-signer'
import type { Result } from '@svc/protocol/base/result'
import { openEntry } from '@svc/protocol/merkle/entries'
import type { LogBucket } from '../src/files.ts'
import type { SubmittedLeaf } from '../src/store.ts'

interface TestEnv {
  readonly LOGS: DurableObjectNamespace<TestLogObject>
  readonly TILES: R2Bucket
}

const signer = new DeploymentSigner('11'.repeat(32), ['https://core.test'])

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
      opening: openEntry(log, null),
      leafIdOf: (line) => (JSON.parse(line) as { leaf?: string }).leaf ?? null,
      isKnown,
      sign: (head, issuedAt) => signer.sign({ type: 'svc/anchor-checkpoint/v1', log, ...head, issuedAt } as const),
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

  head(): Promise<LogHead> {
    return this.sequencer.head()
  }

  override async alarm(): Promise<void> {
    await this.sequencer.tidy()
  }
}

// biome-ignore lint/style/noDefaultExport: the runtime looks for one
export default { fetch: () => new Response() }
