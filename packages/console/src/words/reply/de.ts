import type { ReplyWords } from './en.ts'

export const words: ReplyWords = {
  title: 'Antwort öffnen',
  lead: 'Jemand hat eine Nachricht beantwortet, die Sie mit einem Formular geschrieben haben. Die Antwort ist verschlüsselt, und Ihr privater Link öffnet sie. Nichts davon verlässt diesen Browser.',
  link: 'Privater Link',
  linkHint: 'Sie haben ihn beim Senden der Nachricht bekommen. Er endet mit vielen Buchstaben und Ziffern.',
  hasLink: 'Ihr privater Link ist vollständig. Er öffnet die Antwort der Identität, an die Sie geschrieben haben:',
  keepLink: 'Bewahren Sie den Link auf, bis Sie die Antwort haben. Wer ihn hat, kann die Antwort lesen.',
  file: 'Datei mit der Antwort',
  fileHint: 'Sie kommt vom Eigentümer, meist als „reply.json“ in einer Mail.',
  open: 'Antwort öffnen',
  chooseFile: 'Wählen Sie zuerst die Datei mit der Antwort.',
  incomplete: 'Das ist kein vollständiger privater Link. Kopieren Sie ihn ganz.',
  noAnswer: 'Diese Datei ist keine verschlüsselte Antwort.',
  otherMessage: 'Das ist die Antwort auf eine andere Nachricht. Nehmen Sie deren privaten Link.',
  changed: 'Die Antwort lässt sich mit diesem Link nicht öffnen, oder sie wurde verändert.',
  notSigned:
    'Die Identität, an die Sie geschrieben haben, hat diese Antwort nicht unterschrieben. Verlassen Sie sich nicht darauf.',
  opened: 'Die Antwort auf Ihre Nachricht',
  from: 'Von',
  signed: 'Unterschrieben',
  about: 'Betrifft',
  proved:
    'Der Hauptschlüssel dieser Identität hat die Antwort unterschrieben, nur für Ihre Nachricht. Welcher Mensch dahinter steht, sagt die Unterschrift nicht.',
  another: 'Andere Datei öffnen',
}
