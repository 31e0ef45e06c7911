// SystemC's library asks for this entry point; the tests start simulations themselves.
extern "C" int sc_main(int, char*[]) { return 0; }
