import { platformTests } from './platform-tests.ts'
import { CALL_TESTS } from './tests.ts'

export default platformTests(CALL_TESTS)
