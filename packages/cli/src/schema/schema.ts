import { usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { GROUPS } from '../groups.ts'
import type { Given, Result } from '../result.ts'
import { schemaOf } from './results.ts'

export async function schema(_: Context, { args }: Given): Promise<Result> {
  const command = args.flat().join(' ')
  const spec = GROUPS.flatMap(({ commands }) => commands).find(({ path }) => path === command)
  if (!spec) throw usage(`There is no command "${command}"`, 'svc --help shows the commands')
  const found = schemaOf(spec)
  return { data: { command, schema: found }, text: JSON.stringify(found, null, 2) }
}
