import { describe, expect, it } from 'vitest'
import { violations } from './boundaries.ts'

const CORE = 'workers/core/src'

describe('violations', () => {
  it.each([
    ['packages/protocol/src/a.ts', "import { x } from '../../../workers/core/src/app.ts'"],
    ['packages/protocol/src/a.ts', "import { x } from '@svc/assertion'"],
    ['packages/protocol/src/a.ts', "import { Hono } from 'hono'"],
    ['packages/rate-limit/src/a.ts', "import { x } from '@svc/protocol/labels'"],
    ['packages/client/src/a.ts', "import { readFile } from 'node:fs/promises'"],
    ['packages/client/src/a.ts', "import { guard } from '@svc/assertion/worker'"],
    ['packages/service/src/a.ts', "import { DurableObject } from 'cloudflare:workers'"],
    [`${CORE}/chain/chain.ts`, "import { ok } from './chain-store.ts'"],
    [`${CORE}/chain/chain.ts`, 'const now = Date.now()'],
    [`${CORE}/chain/chain-service.ts`, "import type { Context } from 'hono'"],
    [`${CORE}/chain/chain-service.ts`, "import { env } from 'cloudflare:workers'"],
    [`${CORE}/routes/chain.ts`, "import { createServices } from '../services.ts'"],
    [`${CORE}/routes/chain.ts`, "import { ChainStore } from '../chain/chain-store.ts'"],
    [`${CORE}/routes/chain.ts`, 'const db = c.env.DB'],
    [`${CORE}/services.ts`, "import { chain } from './routes/chain.ts'"],
    [`${CORE}/chain/chain-object.ts`, '  private readonly sql = 1'],
    ['workers/pay/src/a.ts', "import { x } from '../../core/src/chain/chain.ts'"],
    ['workers/pay/src/a.ts', "import { x } from '@svc/core-worker'"],
    ['workers/pay/src/a.ts', "import { x } from '@svc/testing'"],
  ])('refuses in %s: %s', (file, source) => expect(violations(file, source)).toHaveLength(1))

  it.each([
    ['packages/assertion/src/worker/nonce-guard-object.ts', "import { DurableObject } from 'cloudflare:workers'"],
    ['packages/client/src/a.test.ts', "import { readFile } from 'node:fs/promises'"],
    ['packages/service/src/a.ts', "import type { DurableObject } from 'cloudflare:workers'"],
    [`${CORE}/index.ts`, "import { WorkerEntrypoint } from 'cloudflare:workers'"],
    [`${CORE}/app.ts`, "import { chain } from './routes/chain.ts'"],
    [`${CORE}/routes/chain.ts`, "import type { AppendError } from '../chain/chain-object.ts'"],
    ['workers/core/test/chain.test.ts', "import { appendEntry } from '../src/routes/chain.ts'"],
    ['workers/core/test/chain.test.ts', "import { identity } from '@svc/testing'"],
  ])('allows in %s: %s', (file, source) => expect(violations(file, source)).toEqual([]))
})
