// Writes the table of characters that the fingerprint replaces, in the package and on its page.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '@svc/platform/workspace'
import { PAGE, pageSource, TABLE, tableSource } from './generated.ts'

writeFileSync(join(ROOT, TABLE), tableSource())
writeFileSync(join(ROOT, PAGE), pageSource(readFileSync(join(ROOT, PAGE), 'utf8')))
