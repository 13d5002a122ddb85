//! Portuguese software words whose English counterpart has another root.
//!
//! Code, and most documentation beside it, is English. A question in Portuguese finds it through cognates
//! (`configuração`, `configuration`), through words taken over as they are (`cache`), and through this list of everyday
//! vocabulary for the rest. It is general on purpose: no word is here for the sake of one project.

use super::portuguese::root;

/// A Portuguese word, folded, and what it is called in English. Verbs are infinitives.
const WORDS: &[(&str, &[&str])] = &[
    ("abrir", &["open"]),
    ("acesso", &["access"]),
    ("adicionar", &["add"]),
    ("agendar", &["schedule"]),
    ("ajuda", &["help"]),
    ("alterar", &["change"]),
    ("apagar", &["delete", "remove"]),
    ("aprovar", &["approve"]),
    ("aresta", &["edge"]),
    ("armazenar", &["store"]),
    ("arquivo", &["file"]),
    ("arvore", &["tree"]),
    ("assinar", &["sign", "subscribe"]),
    ("ativar", &["enable"]),
    ("atualizar", &["update"]),
    ("autenticar", &["authenticate"]),
    ("avaliar", &["evaluate"]),
    ("aviso", &["warning"]),
    ("baixar", &["download"]),
    ("banco", &["database"]),
    ("biblioteca", &["library"]),
    ("botao", &["button"]),
    ("buscar", &["search", "fetch"]),
    ("cabecalho", &["header"]),
    ("caminho", &["path"]),
    ("campo", &["field"]),
    ("carregar", &["load"]),
    ("chamar", &["call"]),
    ("chave", &["key"]),
    ("codigo", &["code"]),
    ("comecar", &["start", "begin"]),
    ("compartilhar", &["share"]),
    ("conectar", &["connect"]),
    ("conexao", &["connection"]),
    ("construir", &["build"]),
    ("consulta", &["query"]),
    ("conta", &["account"]),
    ("corrigir", &["fix"]),
    ("criar", &["create"]),
    ("custo", &["cost"]),
    ("dados", &["data"]),
    ("depurar", &["debug"]),
    ("desativar", &["disable"]),
    ("descobrir", &["discover", "detect"]),
    ("desligar", &["disable"]),
    ("dividir", &["split"]),
    ("dono", &["owner"]),
    ("encontrar", &["find"]),
    ("entrada", &["input", "entry"]),
    ("enviar", &["send"]),
    ("erro", &["error"]),
    ("escolher", &["choose", "select"]),
    ("esconder", &["hide"]),
    ("escrever", &["write"]),
    ("esperar", &["wait"]),
    ("etapa", &["step"]),
    ("excluir", &["delete"]),
    ("executar", &["execute", "run"]),
    ("exibir", &["show", "display"]),
    ("falha", &["failure"]),
    ("fechar", &["close"]),
    ("ferramenta", &["tool"]),
    ("fila", &["queue"]),
    ("fluxo", &["flow", "stream"]),
    ("fonte", &["source"]),
    ("gerar", &["generate"]),
    ("grafo", &["graph"]),
    ("gravar", &["write", "save"]),
    ("guardar", &["store", "save"]),
    ("idioma", &["language"]),
    ("indice", &["index"]),
    ("iniciar", &["start", "initialize"]),
    ("juntar", &["merge", "join"]),
    ("lancamento", &["release"]),
    ("ler", &["read"]),
    ("ligar", &["enable", "link"]),
    ("linha", &["line"]),
    ("manter", &["keep", "maintain"]),
    ("medir", &["measure"]),
    ("mostrar", &["show"]),
    ("mudar", &["change"]),
    ("navegador", &["browser"]),
    ("nome", &["name"]),
    ("novo", &["new"]),
    ("obter", &["get", "obtain"]),
    ("pacote", &["package"]),
    ("pagina", &["page"]),
    ("parar", &["stop"]),
    ("passo", &["step"]),
    ("pasta", &["folder", "directory"]),
    ("pedido", &["request"]),
    ("permitir", &["allow"]),
    ("pilha", &["stack"]),
    ("prazo", &["deadline", "timeout"]),
    ("primeiro", &["first"]),
    ("procurar", &["search", "find"]),
    ("proteger", &["protect"]),
    ("publicar", &["publish"]),
    ("receber", &["receive"]),
    ("rede", &["network"]),
    ("registro", &["record", "log", "registry"]),
    ("regra", &["rule"]),
    ("relatorio", &["report"]),
    ("remover", &["remove"]),
    ("repetir", &["repeat", "retry"]),
    ("requisicao", &["request"]),
    ("resposta", &["response", "answer"]),
    ("rodar", &["run"]),
    ("rota", &["route"]),
    ("saida", &["output", "exit"]),
    ("salvar", &["save"]),
    ("segredo", &["secret"]),
    ("seguranca", &["security"]),
    ("senha", &["password"]),
    ("servidor", &["server"]),
    ("tabela", &["table"]),
    ("tarefa", &["task"]),
    ("tela", &["screen"]),
    ("tempo", &["time"]),
    ("tentar", &["try", "retry"]),
    ("testar", &["test"]),
    ("tipo", &["type"]),
    ("trabalho", &["job", "work"]),
    ("traduzir", &["translate"]),
    ("trocar", &["swap", "switch", "change"]),
    ("usar", &["use"]),
    ("usuario", &["user"]),
    ("valor", &["value"]),
    ("vazio", &["empty"]),
    ("velho", &["old", "stale"]),
    ("verificar", &["verify", "check"]),
];

/// What the folded Portuguese `word` is called in English.
pub(super) fn english(word: &str) -> impl Iterator<Item = &'static str> {
    let sought = root(word);
    WORDS
        .iter()
        .filter(move |(portuguese, _)| root(portuguese) == sought)
        .flat_map(|(_, english)| english.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn translations(word: &str) -> Vec<&str> {
        english(word).collect()
    }

    #[test]
    fn inflected_words_are_found() {
        assert_eq!(translations("ferramentas"), ["tool"]);
        assert_eq!(translations("rodo"), ["run"]);
        assert_eq!(translations("adicionando"), ["add"]);
        assert_eq!(translations("criados"), ["create"]);
        assert_eq!(translations("arquivos"), ["file"]);
        assert_eq!(translations("cache"), Vec::<&str>::new());
    }

    #[test]
    fn the_list_is_sorted_and_folded() {
        assert!(WORDS.is_sorted_by_key(|(word, _)| *word));
        assert!(WORDS.iter().all(|(word, _)| word.bytes().all(|byte| byte.is_ascii_lowercase())));
    }
}
