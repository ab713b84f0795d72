import { packageProject } from '../../scripts/checks/projects/package-tests.ts'
import type { RuntimeFacts } from './src/native-sha3.fixture.ts'

// The workerd that is locked for macOS is older and has no native SHA-3 (docs/adr/0012-version-set.md).
const provide = { hasNativeSha3: process.platform !== 'darwin' } satisfies RuntimeFacts

export default packageProject('pqc', { runtime: 'workerd' }, { test: { exclude: ['test/**'], provide } })
