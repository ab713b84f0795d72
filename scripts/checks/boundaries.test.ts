import { describe, expect, it } from 'vitest'
import { violations } from './boundaries.ts'

const CORE = 'workers/core/src'

describe('violations', () => {
  it.each([
    ['packages/protocol/src/a.ts', "import { x } from '../../../workers/core/src/app.ts'"],
    ['packages/protocol/src/a.ts', "import { x } from '#assertion'"],
    ['packages/client/src/a.ts', "import { x } from '@svc/protocol/base/labels'"],
    ['packages/protocol/src/a.ts', "import { Hono } from 'hono'"],
    ['packages/rate-limit/src/a.ts', "import { x } from '@svc/protocol/base/labels'"],
    ['packages/client/src/a.ts', "import { readFile } from 'node:fs/promises'"],
    ['packages/client/src/a.ts', "import { guard } from '#assertion/worker'"],
    ['packages/service/src/a.ts', "import { DurableObject } from 'cloudflare:workers'"],
    [`${CORE}/chain/rules.ts`, "import { ok } from './store.ts'"],
    [`${CORE}/chain/rules.ts`, 'const now = Date.now()'],
    [`${CORE}/chain/service.ts`, "import type { Context } from 'hono'"],
    [`${CORE}/chain/service.ts`, "import { env } from 'cloudflare:workers'"],
    [`${CORE}/chain/routes.ts`, "import { createServices } from '../services.ts'"],
    [`${CORE}/chain/routes.ts`, "import { IdentityChainStore } from './store.ts'"],
    [`${CORE}/notes/vault-routes.ts`, 'const db = c.env.DB'],
    [`${CORE}/services.ts`, "import { chain } from './chain/routes.ts'"],
    [`${CORE}/chain/object.ts`, 'class A {\n  private readonly sql = 1\n}'],
    [`${CORE}/chain/object.ts`, 'export class ChainObject extends DurableObject<Env> {}'],
    ['packages/service/src/a.ts', 'export class AnObject extends DurableObject {}'],
    [`${CORE}/chain/object.ts`, 'const signer = new DeploymentSigner(env.SEED)'],
    ['workers/pay/src/a.ts', "import { x } from '../../core/src/chain/rules.ts'"],
    ['workers/pay/src/a.ts', "import { x } from '@svc/core-worker'"],
    ['workers/pay/src/a.ts', "import { x } from '@svc/testing'"],
    ['workers/pay/test/a.test.ts', "import { ROOT } from '@svc/platform/workspace'"],
    ['scripts/fuzzing/a.ts', "import { ROOT } from '../platform/workspace.ts'"],
    ['scripts/platform/a.ts', "import { smoke } from '@svc/operations/smoke'"],
    ['scripts/site/examples/a.ts', "import type { Platform } from '@svc/platform'"],
    ['examples/notes/a.ts', "import { x } from '@svc/protocol/base/labels'"],
    ['examples/notes/a.ts', "import { x } from '../page/a.ts'"],
    ['examples/notes/a.ts', "import { x } from '../../packages/client/src/client.ts'"],
    ['scripts/checks/a.ts', "import { x } from '../../examples/notes/a.ts'"],
  ])('refuses in %s: %s', (file, source) => expect(violations(file, source)).toHaveLength(1))

  it.each([
    ['packages/objects/src/versioned-object.ts', "import { DurableObject } from 'cloudflare:workers'"],
    ['packages/client/src/a.test.ts', "import { readFile } from 'node:fs/promises'"],
    ['packages/client/src/a.test.ts', "import { x } from '@svc/protocol/base/labels'"],
    ['packages/client/src/a.ts', "import { x } from '#protocol/base/labels'"],
    ['packages/service/src/a.ts', "import type { DurableObject } from 'cloudflare:workers'"],
    ['packages/objects/src/versioned-object.ts', 'export class VersionedObject extends DurableObject {}'],
    [`${CORE}/services.ts`, 'const signer = new DeploymentSigner(config.SEED)'],
    [`${CORE}/index.ts`, "import { WorkerEntrypoint } from 'cloudflare:workers'"],
    [`${CORE}/app.ts`, "import { chain } from './chain/routes.ts'"],
    [`${CORE}/chain/routes.ts`, "import type { AppendError } from './object.ts'"],
    ['workers/core/test/chain/chain.test.ts', "import { appendEntry } from '../../src/chain/routes.ts'"],
    ['workers/core/test/chain/chain.test.ts', "import { identity } from '@svc/testing'"],
    ['scripts/fuzzing/a.ts', "import { ROOT } from '@svc/platform/workspace'"],
    ['scripts/checks/browser/a.test.ts', "import { runSteps } from '../step-runner.ts'"],
    ['scripts/release/a.ts', "import { Client } from '@svc/client'"],
    ['workers/pay/vitest.config.ts', "import { workerProject } from '../../scripts/checks/projects/worker-tests.ts'"],
  ])('allows in %s: %s', (file, source) => expect(violations(file, source)).toEqual([]))
})
