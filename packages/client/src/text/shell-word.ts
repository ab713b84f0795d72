import { checkCall } from '../arguments/check.ts'

/**
 * A word of a command that somebody copies into a POSIX shell. The name of a file may have spaces, quotes and `$(…)` in
 * it, and one that begins with a hyphen would be an option.
 */
export function shellWordOf(word: string): string {
  checkCall('shellWordOf', [word], ['word'])
  const named = word.startsWith('-') && word !== '-' && !/^--?[a-z][a-z-]*$/.test(word) ? `./${word}` : word
  return /^[\w@%+=:,./-]+$/.test(named) ? named : `'${named.replaceAll("'", String.raw`'\''`)}'`
}
