import { packageProject } from '../../scripts/checks/projects/package-tests.ts'
import type { RuntimeFacts } from './src/native-sha3.fixture.ts'

const provide = { hasNativeSha3: true } satisfies RuntimeFacts

export default packageProject('pqc', { runtime: 'node' }, { test: { provide } })
