import type { InboxWords } from './en.ts'

export const words: InboxWords = {
  title: 'Posteingang',
  lead: 'Nachrichten von Menschen, die etwas von Ihnen gefunden haben. Sie sind für Ihren Hauptschlüssel verschlüsselt und werden in diesem Browser entschlüsselt.',
  elsewhere:
    'Nur das Gerät mit dem Hauptschlüssel kann Nachrichten öffnen. Hier sehen Sie, wann sie kamen, und können sie löschen.',
  open: 'Nachrichten öffnen',
  refresh: 'Noch einmal nachsehen',
  more: 'Ältere Nachrichten',
  messages: 'Nachrichten',
  count: (count) => (count === 1 ? '1 Nachricht' : `${count} Nachrichten`),
  encrypted: 'Verschlüsselte Nachricht',
  closed: 'Der Hauptschlüssel hier kann sie nicht öffnen: Sie wurde für einen früheren verschlüsselt oder verändert.',
  unread: 'neu',
  noSubject: 'Ohne Betreff',
  back: 'Alle Nachrichten',
  from: 'Von',
  received: 'Erhalten',
  about: 'Betrifft',
  proved:
    'Der Absender hat nur bewiesen, dass er Mail an irgendeiner Adresse liest. Name, Adresse und Text sind, was er eingegeben hat.',
  sealedWithOne:
    'Das Programm des Absenders hat dies mit einem Verfahren verschlüsselt, ML-KEM-768, wo andere zwei verwenden. Es ist so geheim, wie dieses eine es hält.',
  answer: 'Antworten',
  byMailLead: 'Die Nachricht enthält keinen Schlüssel für eine versiegelte Antwort.',
  byMail: 'Per Mail antworten',
  replyLead:
    'Die Nachricht enthält einen Schlüssel. Darum lässt sich Ihre Antwort versiegeln: Nur der Absender kann sie lesen, und er sieht, dass Sie sie unterschrieben haben.',
  replyText: 'Ihre Antwort',
  seal: 'Antwort unterschreiben und versiegeln',
  empty: 'Schreiben Sie zuerst eine Antwort.',
  tooLong: 'Die Antwort ist zu lang, um versiegelt zu werden.',
  sealed: 'Die versiegelte Antwort wurde heruntergeladen.',
  sealedBefore: 'Die heruntergeladene Datei hat Ihre letzten Änderungen nicht. Versiegeln Sie die Antwort noch einmal.',
  sendIt: 'Senden Sie dem Absender die Datei „reply.json“.',
  mailBody:
    'Meine versiegelte Antwort ist in der angehängten Datei reply.json. Sie öffnen sie mit dem privaten Link oder dem Schlüssel, den Sie beim Schreiben behalten haben.',
  delete: 'Löschen',
  deleteTitle: 'Diese Nachricht löschen?',
  deleteText: 'Sie wird endgültig gelöscht, auf jedem Gerät.',
  deleted: 'Die Nachricht wurde gelöscht.',
}
