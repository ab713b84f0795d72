import type { Kind, Need } from '@svc/client/evidence'
import { words } from '../words/verdict/words.ts'

/** What the verdict is called: it names the content where that was not compared. */
export function headlineOf(state: keyof typeof words.verdicts, kind: Kind, needs: Need | null): string {
  const said = `${words.verdicts[state]}: ${words.kinds[kind]}`
  return needs === 'file' || needs === 'no_file' ? `${said}, ${words.notCompared}` : said
}
